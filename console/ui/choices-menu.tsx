import type { ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger } from 'react-aria-components';
import { Popover } from '#console/ui/popover.tsx';
import type { ChoicesProps } from './choices.tsx';

/** The menu of `Choices`, with its button. */
export function ChoicesMenu(props: ChoicesProps & { className: string; content: ReactNode }) {
  const { label, options, chosen, many, choose, className, content } = props;
  return (
    <MenuTrigger defaultOpen>
      <Button className={className}>{content}</Button>
      <Popover placement="bottom start">
        <Menu
          className="menu"
          aria-label={label}
          selectionMode={many ? 'multiple' : 'single'}
          selectedKeys={chosen}
          onSelectionChange={(keys) =>
            choose(keys === 'all' ? options.map(({ value }) => value) : [...keys].map(String))
          }
        >
          {options.map(({ value, label }) => (
            <MenuItem key={value} id={value} className="menu-item">
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
