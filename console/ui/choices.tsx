import { common } from '#console/words/common.words.ts';
import { lazily } from './lazily.tsx';
import { OnDemand } from './on-demand.tsx';
import type { Option } from './option.ts';

export interface ChoicesProps {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  many: boolean;
  choose: (values: string[]) => void;
}

const ChoicesMenu = lazily(() => import('./choices-menu.tsx').then(({ ChoicesMenu }) => ChoicesMenu));

/** A button that shows what is chosen, with a menu of the options. Choosing the one that is chosen takes it back. */
export function Choices(props: ChoicesProps) {
  const names = props.options.filter(({ value }) => props.chosen.includes(value)).map(({ label }) => label);
  const className = names.length > 0 ? 'choices choices-set' : 'choices';
  const content = (
    <>
      {props.label}
      <span className="choices-value">{names.length > 0 ? names.join(', ') : common.all}</span>
    </>
  );
  return (
    <OnDemand className={className} content={content}>
      {(button) => <ChoicesMenu meanwhile={button} {...props} className={className} content={content} />}
    </OnDemand>
  );
}
