// Declares to the compiler that styles can be imported; vite takes care of them.
declare module "*.css";
