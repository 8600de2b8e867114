import { CommandError } from '#bin/command.ts';

export const maxDescriptionBytes = 50 * 1024 * 1024;
const timeoutMs = 60_000;

/** Reads a description from a URL: at most 50 MB, within a minute. Throws a CommandError. */
export async function fetchDescription(url: string): Promise<Uint8Array> {
  const fail = (what: string): never => {
    throw new CommandError(`${url} ${what}`);
  };
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) =>
    fail(`cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`),
  );
  if (!response.ok) return fail(`answered ${response.status}. If it needs a login, save the description as a file.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxDescriptionBytes) return fail('is larger than 50 MB. Save it, and cut out the part that you need.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
