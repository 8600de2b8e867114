/**
 * What descriptions of inputs tell programs and a form shows by itself: limits of length, and what absent members mean. A form leaves an empty
 * text out, so that it cannot send one.
 */
const forPrograms: readonly RegExp[] = [
  /[;,]? ?\b(?:null|left out)\b[^;.]*\b(?:leaves|stays?)\b[^;.]*/gi,
  /[;,]? ?(?<!of )\b(?:1 to|at most) [\d,]+ characters\b/gi,
  /\bnull (?:clears|empties) (?:it|them)\b/gi,
  /^empty: .*/gi,
  /: `\^[^`]+\$`/g,
  /[;,]? ?\bleft out(?:: (?:true|false)|, (?:it does|they do) not)\b/gi,
];

/** The help of a member beside its field. An empty field is what programs call null or left out. */
export const helpForForms = (description: string): string =>
  description
    .split(/(?<=\.) /)
    .map((sentence) => forPrograms.reduce((text, pattern) => text.replaceAll(pattern, ''), sentence.replace(/\.$/, '')))
    .map((sentence) => sentence.replaceAll(/^[;,\s]+|[;,\s]+$/g, ''))
    .filter((sentence) => sentence !== '')
    .map((sentence) => sentence.replaceAll(/\b(?:left out|null)\b(?=[:,]| removes| keeps)/gi, inCase('empty')))
    .map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`)
    .join(' ');

/** The default that only the description names. */
export const impliedDefault = (description: string): string | undefined =>
  /\bleft out: (true|false)\b/i.exec(description)?.[1];

const inCase =
  (word: string) =>
  (found: string): string =>
    /^[A-Z]/.test(found) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
