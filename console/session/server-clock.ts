/** Milliseconds to add to the browser's clock, which may be wrong by any amount, to get the server's. */
let offsetMs = 0;

/** Learns the server's time from the `Date` of its response. The header counts whole seconds, so less than 2 s is no difference. */
export function noteServerTime(response: Response): void {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return;
  const offset = date - Date.now();
  offsetMs = Math.abs(offset) < 2_000 ? 0 : offset;
}

/** The server's time in epoch milliseconds, within about a second. */
export const serverNow = (): number => Date.now() + offsetMs;

/** By how many milliseconds the server's clock is ahead of the browser's. */
export const serverOffset = (): number => offsetMs;
