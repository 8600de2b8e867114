import type { MessageStructureObject } from 'imapflow';

export interface MailPart {
  /** The number of the part, by which the server sends it. */
  part: string;
  /** Media type. */
  type: string;
  name: string | undefined;
}

/** The parts of a mail: its text in up to two forms, and everything else as attachments. */
export interface MailParts {
  text: MailPart | undefined;
  html: MailPart | undefined;
  attachments: MailPart[];
}

/** Sorts the parts of a mail. A mail in the mail is an attachment, so that its text is not taken for that of the mail. */
export function sortParts(root: MessageStructureObject | undefined): MailParts {
  const parts: MailParts = { text: undefined, html: undefined, attachments: [] };
  const visit = (node: MessageStructureObject): void => {
    const type = node.type.toLowerCase();
    if (node.childNodes && type.startsWith('multipart/')) {
      node.childNodes.forEach(visit);
      return;
    }
    const name = node.dispositionParameters?.['filename'] ?? node.parameters?.['name'];
    const found = { part: node.part ?? '1', type, name };
    const isInline = node.disposition !== 'attachment' && name === undefined;
    if (isInline && type === 'text/plain' && !parts.text) parts.text = found;
    else if (isInline && type === 'text/html' && !parts.html) parts.html = found;
    else parts.attachments.push(found);
  };
  if (root) visit(root);
  return parts;
}
