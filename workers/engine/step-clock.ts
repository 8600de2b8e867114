let lastMs = 0;
let count = 0;

/**
 * The present instant as ISO text. Its microseconds count the calls within a millisecond, so that steps can be listed in the
 * order this process began them; after a thousand calls they no longer increase.
 */
export function nextInstant(): string {
  const ms = Date.now();
  count = ms === lastMs ? Math.min(count + 1, 999) : 0;
  lastMs = ms;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(count).padStart(3, '0')}Z`;
}
