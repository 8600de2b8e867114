/** Config keys that have the same meaning in every node. */
const reserved = ['credential', 'base_url', 'body', 'all_pages', 'max_items', 'max_pages', 'page_position'];

/**
 * Makes config keys of letters, digits and underscores for named values, in the same order. A key that is taken gets the parameter's place
 * as a suffix, so that adding another parameter does not change it.
 */
export function chooseKeys(parameters: readonly { name: string; in: string }[]): string[] {
  const taken = new Set(reserved);
  return parameters.map(({ name, in: place }) => {
    const plain = safeKey(name);
    let key = taken.has(plain) ? `${plain.slice(0, 55)}_${place}` : plain;
    for (let count = 2; taken.has(key); count += 1) key = `${plain.slice(0, 50)}_${place}_${count}`;
    taken.add(key);
    return key;
  });
}

function safeKey(name: string): string {
  const key = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 64);
  return key === '' ? 'value' : key;
}
