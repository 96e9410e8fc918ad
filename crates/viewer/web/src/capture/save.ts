// Saves data as a file on the user's disk.

export function saveFile(data: Blob, name: string): void {
  const address = URL.createObjectURL(data);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download reads the data after this call; a minute is ample.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, failed) => {
    canvas.toBlob(
      (picture) => (picture ? done(picture) : failed(new Error("The picture could not be made"))),
      "image/png",
    );
  });
}

/** A file name with scene and time. */
export function fileName(scene: string, time: number, ending: string): string {
  const safe = scene.replace(/[^A-Za-z0-9_-]+/g, "_") || "pliant";
  return `${safe}_${time.toFixed(2)}s.${ending}`;
}
