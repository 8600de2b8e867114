type Headers = Record<string, string | string[]>;

const maxHeaderLength = 1_000;

/** The version of a file by the headers of its server; undefined where they name none. */
export function httpVersion(headers: Headers): string | undefined {
  const etag = [headers['etag']].flat()[0]?.slice(0, maxHeaderLength);
  const modified = [headers['last-modified']].flat()[0]?.slice(0, maxHeaderLength);
  return etag === undefined && modified === undefined ? undefined : JSON.stringify({ etag, modified });
}

/** The version of a file by its content. */
export const hashVersion = (sha256: string): string => JSON.stringify({ sha256 });

/** Headers that request a file only if it has changed. */
export function toConditions(last: string | undefined): Record<string, string> {
  const { etag, modified } = (last === undefined ? {} : JSON.parse(last)) as { etag?: string; modified?: string };
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  };
}
