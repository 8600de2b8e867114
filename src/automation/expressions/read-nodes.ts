const tokens =
  /\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![.\w])\$?nodes\.(?:`([^`]{1,64})`|([A-Za-z0-9_-]{1,64}))(?=\.outputs\b)/g;

/** What can reach `nodes` without a node's id behind it: the scope as a whole, wildcards, and functions that default to it or declare
 * that they do. A function is called without arguments by any expression that yields it: `($string)()`. */
const reachesAll =
  /\bnodes\b|function\s*\([^)]*\)\s*<|λ|\$(?![A-Za-z_])|[*%]|(?<!(?<!\$)\bfunction\s*)\(\s*\)|\$(?:each|lookup|sift)\b/;

/**
 * Ids of the nodes whose outputs a text with expressions may read; undefined for any of them. May name more nodes than the text reads,
 * never fewer.
 */
export function nodesToRead(text: string): Set<string> | undefined {
  const ids = new Set<string>();
  const rest = text.replaceAll(tokens, (token: string, quoted?: string, id?: string) => {
    const found = quoted ?? id;
    if (found !== undefined) ids.add(found);
    // A string may be the name of a member: `"nodes".fetch`.
    if (found === undefined && /nodes|\\/.test(token)) return ' nodes ';
    return token.startsWith('/*') ? ' ' : ' "" ';
  });
  return reachesAll.test(rest) ? undefined : ids;
}
