import { HelpText } from '#console/ui/help-text.tsx';
import { helpWord } from '#console/words/help.ts';

/** What is said below a field, in the reader's language. */
export const FieldHelp = ({ id, help }: { id?: string; help: string }) => (
  <p id={id} className="field-help">
    <HelpText text={helpWord(help)} />
  </p>
);
