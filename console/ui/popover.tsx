import type { ReactNode } from 'react';
import { Popover as AriaPopover } from 'react-aria-components';

/** A menu or a list over the page. It is rendered inside `main`, because screen readers that move by landmark skip what is outside of one. */
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
