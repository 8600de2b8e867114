import { type ReactNode, useState } from 'react';

interface Props {
  className: string;
  /** For screen readers, where the content of the button does not say all. */
  label?: string;
  /** What the button shows. */
  content: ReactNode;
  /** Draws the control from the start, because it shows more than the button could. */
  isOpen?: boolean;
  /** Draws the control that takes the button's place, which is open from the start; the button stands for it while it is loaded. */
  children: (button: ReactNode) => ReactNode;
}

/**
 * A button that becomes a menu at its first press. The code of menus is as large as all the rest of the first view, and most readers open
 * none of them.
 */
export function OnDemand({ className, label, content, isOpen = false, children }: Props) {
  const [isWanted, setWanted] = useState(isOpen);
  const button = (
    <button type="button" className={className} aria-label={label} aria-haspopup="true" onClick={() => setWanted(true)}>
      {content}
    </button>
  );
  return isWanted ? children(button) : button;
}
