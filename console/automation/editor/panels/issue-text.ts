import { fieldName } from '#console/automation/editor/compare/summary-text.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import type { Issue } from './problems.tsx';

/** What is wrong, with its field called as the form calls it: the server's `config.url: is required.` is "URL is required." */
export function issueText({ message, field }: Pick<Issue, 'message' | 'field'>, definition?: Definition): string {
  if (field === null || !message.startsWith(`${field}: `)) return message;
  const rest = message.slice(field.length + 2);
  return /^[a-z]/.test(rest) ? `${fieldName({ path: field.split('.') }, definition)} ${rest}` : rest;
}
