// Builds the page into three files of fixed names that the binary embeds.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const licence = readFileSync(new URL("node_modules/three/LICENSE", import.meta.url), "utf8").trim();
const banner = `/*! The viewer of Pliant, MIT OR Apache-2.0. It contains three.js under the following terms.\n\n${licence}\n*/`;

/** Writes the tags that load script and style always in the same way, so that a packer can find and replace them. */
function plainTags(): Plugin {
  return {
    name: "plain-tags",
    enforce: "post",
    transformIndexHtml: (html) =>
      html
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '\n    <link rel="stylesheet" href="viewer.css">')
        .replace(/\s*<\/body>/, '\n    <script type="module" src="viewer.js"></script>\n  </body>'),
  };
}

export default defineConfig({
  base: "./",
  plugins: [plainTags()],
  server: {
    proxy: { "/socket": { target: "http://127.0.0.1:7420", ws: true }, "/recording": "http://127.0.0.1:7420" },
  },
  build: {
    target: "es2022",
    modulePreload: false,
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
        codeSplitting: false,
        postBanner: banner,
      },
    },
  },
});
