import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { Button } from '#console/ui/button.tsx';
import { formWords } from './form.words.ts';

const bracelessPath = /^(?:trigger|nodes|item|run)[.[][\w.[\]`-]*$/;

/** Why a text is no value yet. A path whose braces were forgotten is offered with them. */
export function TextFault({
  text,
  fault,
  mend,
}: {
  text: string;
  fault: 'number' | 'json' | undefined;
  mend: (text: string) => void;
}) {
  if (!fault) return null;
  const path = text.trim();
  if (!bracelessPath.test(path)) return <p className="field-error">{fault === 'json' ? w.notJson : w.notNumber}</p>;
  const expression = `{{ ${path} }}`;
  return (
    <p className="field-error">
      {formWords.noBraces} <Button onPress={() => mend(expression)}>{formWords.write(expression)}</Button>
    </p>
  );
}
