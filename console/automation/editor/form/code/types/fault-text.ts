import type { TypeFault } from './protocol.ts';
import { typesWords as w } from './types.words.ts';

export const faultText = ({ text }: TypeFault): string =>
  typeof text === 'string' ? text : w.missing(text.missing, text.meant);
