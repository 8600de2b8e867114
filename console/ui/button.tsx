import type { ReactNode } from 'react';

interface Props {
  children: ReactNode;
  onPress?: () => void;
  kind?: 'main' | 'plain' | 'danger';
  type?: 'button' | 'submit';
  isDisabled?: boolean;
  /** What it started goes on; a second press does nothing. */
  isBusy?: boolean;
}

export function Button({
  children,
  onPress,
  kind = 'plain',
  type = 'button',
  isDisabled = false,
  isBusy = false,
}: Props) {
  return (
    <button
      type={type}
      className={`button button-${kind}`}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
