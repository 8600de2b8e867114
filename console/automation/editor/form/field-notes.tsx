import { HelpText } from '#console/ui/help-text.tsx';

/** Shows the help and the problem of a field. */
export const FieldNotes = ({ id, help, problem }: { id: string; help: string | null; problem: string | undefined }) => (
  <>
    {help && (
      <p className="field-help" id={`${id}-help`}>
        <HelpText text={help} />
      </p>
    )}
    {problem && (
      <p className="field-error" id={`${id}-problem`}>
        {problem}
      </p>
    )}
  </>
);
