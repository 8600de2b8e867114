import { RE2JS } from 're2js';

/** Whether a name fits a pattern in which `*` is any text and `?` any character. Capitals make a difference. */
export function patternOf(pattern: string): (name: string) => boolean {
  const source = Array.from(pattern, (each) => (each === '*' ? '.*' : each === '?' ? '.' : RE2JS.quote(each))).join('');
  // Linear in the name, whatever the pattern.
  const compiled = RE2JS.compile(source, RE2JS.DOTALL);
  return (name) => compiled.matches(name);
}
