import { useMemo, useRef, useState } from 'react';
import { focusField } from '#console/automation/editor/form/focus-field.ts';
import { AddMember } from './add-member.tsx';
import { memberFields } from './field.ts';
import type { BodyProps } from './form-levels.ts';
import { Member } from './member.tsx';
import { readMember, splitMembers, withMember } from './members.ts';
import { OtherMembers } from './other-members.tsx';
import { startValue } from './start-value.ts';
import { useStable } from './use-stable.ts';

/** The form of an object: its required and present members, a menu to add others, and the members that the manifest does not describe. */
export function ObjectBody({
  field,
  label,
  value,
  set,
  isDisabled,
  id,
  path,
  depth,
  without,
}: BodyProps & {
  /** A member that another control sets, so it is not shown. */
  without?: string | undefined;
}) {
  /** Members that stay visible although they have no value. */
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [added, setAdded] = useState<string>();
  const body = useRef<HTMLDivElement>(null);
  const all = useMemo(() => memberFields(field), [field]);
  const known = useMemo(
    () => new Set([...all.map(({ key }) => key), ...(without === undefined ? [] : [without])]),
    [all, without],
  );
  const { shown, hidden } = splitMembers(
    all.filter(({ key }) => key !== without),
    value,
    opened,
  );
  const focusAt = (find: (at: HTMLElement) => void) => setTimeout(() => body.current && find(body.current));
  const put = useStable((key: string, member: unknown) => {
    setOpened((before) => new Set(before).add(key));
    set(withMember(value, key, member));
  });
  const remove = useStable((key: string) => {
    setOpened((before) => new Set([...before].filter((each) => each !== key)));
    if (readMember(value, key) !== undefined) set(withMember(value, key, undefined));
    // The pressed button disappears with its member, so the focus moves to the menu.
    focusAt((at) => at.querySelector<HTMLElement>(':scope > .nest-add > button')?.focus());
  });
  return (
    <div className="nest-members" ref={body}>
      {shown.map((member) => (
        <Member
          key={member.key}
          field={member}
          value={readMember(value, member.key)}
          id={`${id}-${member.key}`}
          path={`${path}.${member.key}`}
          depth={depth + 1}
          startsOpen={depth < 1 || member.key === added}
          remove={member.required ? undefined : remove}
          {...{ put, isDisabled }}
        />
      ))}
      <OtherMembers {...{ id, label, known, value, set, isDisabled }} />
      {hidden.length > 0 && (
        <AddMember
          fields={hidden}
          {...{ id, label, isDisabled }}
          add={(member) => {
            setAdded(member.key);
            put(member.key, startValue(member));
            focusAt((at) => focusField(at, `${path}.${member.key}`));
          }}
        />
      )}
    </div>
  );
}
