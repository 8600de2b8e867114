import { useContext } from 'react';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';

interface Props {
  /** Null where the object is gone. */
  subject: { __typename: string; id: string } | null;
  name: string;
}

/** The object of an audit entry; it is a link where the object still exists and has a page. */
export function SubjectLink({ subject, name }: Props) {
  const { nounOf } = useContext(ScreensContext);
  const noun = subject && nounOf(subject.__typename);
  if (!subject || !noun) return name;
  return (
    <ObjectLink noun={noun} id={subject.id}>
      {name}
    </ObjectLink>
  );
}
