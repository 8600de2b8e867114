const size = 64;

/** Draws an icon for an API: its first letters on a colour that depends on its name. */
export function drawIcon(label: string): string {
  const letters = label
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0).toUpperCase())
    .join('');
  const hue = Buffer.from(label).reduce((sum, byte) => (sum * 31 + byte) % 360, 7);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}" height="${size}">
  <rect width="${size}" height="${size}" rx="12" fill="hsl(${hue} 45% 38%)"/>
  <text x="${size / 2}" y="${size / 2 + 9}" text-anchor="middle" font-family="sans-serif" font-size="26" fill="#fff">${letters}</text>
</svg>
`;
}
