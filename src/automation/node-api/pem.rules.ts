/**
 * Restores the line breaks of PEM text, which forms and environment variables often lose. Text that is not PEM stays unchanged.
 */
export function restorePem(text: string): string {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,60})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g)];
  if (blocks.length === 0) return text;
  return blocks
    .map(([, label = '', content = '']) => {
      const lines = content.replaceAll(/\s+/g, '').match(/.{1,64}/g) ?? [];
      return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
    })
    .join('');
}
