import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { common } from '#console/words/common.words.ts';

export interface Option {
  value: string;
  label: string;
}

interface Props {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  many: boolean;
  choose: (values: string[]) => void;
}

/** A button that shows what is chosen, with a menu of the options. Choosing the one that is chosen takes it back. */
export function Choices({ label, options, chosen, many, choose }: Props) {
  const names = options.filter(({ value }) => chosen.includes(value)).map(({ label }) => label);
  return (
    <MenuTrigger>
      <Button className={names.length > 0 ? 'choices choices-set' : 'choices'}>
        {label}
        <span className="choices-value">{names.length > 0 ? names.join(', ') : common.all}</span>
      </Button>
      <Popover className="popover" placement="bottom start">
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
