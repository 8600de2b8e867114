import { useEffect, useRef, useState } from 'react';
import { HelpText } from '#console/ui/help-text.tsx';
import type { Field } from './field.ts';
import { findFields } from './members.ts';
import { nestedWords as w } from './nested.words.ts';

interface Props {
  id: string;
  /** The label of the object. */
  label: string;
  fields: readonly Field[];
  isDisabled: boolean;
  add: (field: Field) => void;
}

/** A menu to add a member that an object does not have yet. The user searches by name, label and help. */
export function AddMember({ id, label, fields, isDisabled, add }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <div className="nest-add">
      <button
        ref={button}
        type="button"
        className="button button-plain"
        aria-label={w.addTo(label)}
        aria-expanded={isOpen}
        disabled={isDisabled}
        // Losing the focus closes the menu. Without this, the press would close it and the click would open it again.
        onPointerDown={(event) => isOpen && event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
      >
        {w.add}
      </button>{' '}
      <span className="quiet">{w.more(fields.length)}</span>
      {isOpen && (
        <MemberSearch
          {...{ id, label, fields }}
          choose={(field) => {
            setOpen(false);
            add(field);
          }}
          leave={(isByKey) => {
            setOpen(false);
            if (isByKey) button.current?.focus();
          }}
        />
      )}
    </div>
  );
}

interface SearchProps extends Pick<Props, 'id' | 'label' | 'fields'> {
  choose: (field: Field) => void;
  leave: (isByKey: boolean) => void;
}

/** The search field keeps the focus while the arrow keys move the selection. */
function MemberSearch({ id, label, fields, choose, leave }: SearchProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = findFields(fields, text);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const optionId = (field: Field) => `${id}-add-${field.key}`;
  const current = found[chosen];
  return (
    <>
      <input
        className="input"
        type="search"
        autoFocus
        role="combobox"
        aria-label={w.searchIn(label)}
        aria-expanded="true"
        aria-controls={`${id}-add`}
        aria-activedescendant={current && optionId(current)}
        aria-autocomplete="list"
        placeholder={w.search}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onBlur={() => leave(false)}
        onKeyDown={(event) => {
          const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (by === 0 && event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          // Without this, Escape would close the form too.
          event.stopPropagation();
          if (by !== 0) setAt((chosen + by + found.length) % Math.max(1, found.length));
          else if (event.key === 'Escape') leave(true);
          else if (current) choose(current);
        }}
      />
      <div className="menu nest-choices" role="listbox" id={`${id}-add`} aria-label={w.addTo(label)} ref={list}>
        {found.map((field, index) => (
          <div
            key={field.key}
            id={optionId(field)}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="nest-choice"
            // Keeps the focus in the search field: losing it closes the menu.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(field)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') choose(field);
            }}
          >
            {field.label} {field.label !== field.key && <code className="quiet">{field.key}</code>}
            {field.help && (
              <span className="quiet nest-choice-help">
                <HelpText text={field.help} />
              </span>
            )}
          </div>
        ))}
      </div>
      <p className={found.length > 0 ? 'sr-only' : 'quiet'} role="status">
        {w.found(found.length)}
      </p>
    </>
  );
}
