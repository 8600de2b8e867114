import type { ReactNode } from 'react';
import { Popover as AriaPopover } from 'react-aria-components';

/** A menu or a list over the page. It is drawn within the main landmark, so that whoever goes by landmarks does not miss it. */
export const Popover = ({
  placement,
  children,
}: {
  placement?: 'bottom start' | 'bottom end';
  children: ReactNode;
}) => (
  <AriaPopover
    className="popover"
    {...(placement && { placement })}
    UNSTABLE_portalContainer={document.querySelector('main') ?? document.body}
  >
    {children}
  </AriaPopover>
);
