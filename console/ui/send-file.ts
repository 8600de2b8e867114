export interface FileAddress {
  url: string;
  method: string;
  headers: unknown;
}

/**
 * Sends a file to the address of its upload, and reports the share that has been sent. Resolves to the status of the answer, 0 where there
 * was none. `fetch` does not tell how much of a body has been sent.
 */
export function sendFile(
  file: Blob,
  { url, method, headers }: FileAddress,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers as Record<string, string>))
      request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total > 0 ? loaded / total : 1));
    request.addEventListener('loadend', () => resolve(request.status));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
