export interface ChartValue {
  /** `api.replicas` */
  path: string;
  value: string;
  meaning: string;
}

/** The values of values.yaml with the comments above them, in order. Throws where a value has no comment. */
export function chartValues(text: string): ChartValue[] {
  const found: ChartValue[] = [];
  const groups: { key: string; depth: number }[] = [];
  let meaning: string | undefined;
  for (const line of text.split('\n')) {
    const [, indent = '', comment, key = '', value = ''] = /^( *)(?:# (.*)|(\w+): ?(.*))?$/.exec(line) ?? [];
    if (comment !== undefined || line === '') {
      meaning = comment;
      continue;
    }
    while ((groups.at(-1)?.depth ?? -1) >= indent.length) groups.pop();
    const path = [...groups.map((group) => group.key), key].join('.');
    if (value === '') groups.push({ key, depth: indent.length });
    else if (meaning === undefined) throw new Error(`Say above ${path} in values.yaml what it does, in one line.`);
    else found.push({ path, value, meaning });
    meaning = undefined;
  }
  return found;
}
