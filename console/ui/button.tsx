import type { MouseEvent, ReactNode } from 'react';

interface Props {
  children: ReactNode;
  onPress?: () => void;
  kind?: 'main' | 'plain' | 'danger';
  type?: 'button' | 'submit';
  isDisabled?: boolean;
  /** Why it is disabled. */
  reason?: string | undefined;
  /** What it started goes on; a second press does nothing. */
  isBusy?: boolean;
}

export function Button({
  children,
  onPress,
  kind = 'plain',
  type = 'button',
  isDisabled = false,
  reason,
  isBusy = false,
}: Props) {
  return (
    <button
      type={type}
      className={`button button-${kind}`}
      disabled={isDisabled}
      title={reason}
      // Disabled it would lose the focus, and the keyboard its place.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy}
      onClick={isBusy ? ignore : onPress}
    >
      {children}
    </button>
  );
}

/** Keeps a busy button from sending its form again. */
const ignore = (event: MouseEvent): void => event.preventDefault();
