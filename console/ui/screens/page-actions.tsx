import { type ReactNode, useEffect } from 'react';
import { Button } from '#console/ui/button.tsx';
import { type Command, offerCommands } from '#console/ui/commands.ts';

export interface PageAction extends Command {
  kind?: 'main' | 'plain' | 'danger';
  isBusy?: boolean;
}

/** The buttons of a page, which the command palette offers too. `children` stand before them, `last` after them. */
export function PageActions({
  actions,
  children,
  last,
}: {
  actions: readonly PageAction[];
  children?: ReactNode;
  last?: ReactNode;
}) {
  useEffect(() => offerCommands(actions.filter(({ isBusy }) => !isBusy)), [actions]);
  return (
    <span className="page-actions">
      {children}
      {actions.map(({ key, label, kind = 'plain', isBusy = false, run }) => (
        <Button key={key} kind={kind} isBusy={isBusy} onPress={run}>
          {label}
        </Button>
      ))}
      {last}
    </span>
  );
}
