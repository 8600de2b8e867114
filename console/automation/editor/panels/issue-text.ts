import { fieldName } from '#console/automation/editor/compare/summary-text.ts';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import type { Issue } from './problems.tsx';

/** The message of an issue with the label of its field in the form: "URL is required." for the server's `config.url: is required.` */
export function issueText({ message, field }: Pick<Issue, 'message' | 'field'>, definition?: Definition): string {
  if (field === null || !message.startsWith(`${field}: `)) return message;
  const rest = message.slice(field.length + 2);
  return /^[a-z]/.test(rest) ? `${fieldName({ path: field.split('.') }, definition)} ${rest}` : rest;
}
