/** Something that the open page lets a person do. */
export interface Command {
  key: string;
  /** A verb. */
  label: string;
  run: () => void;
}

let offered: readonly Command[] = [];

/** What the command palette offers beside pages and objects. */
export const readCommands = (): readonly Command[] => offered;

/** Offers the commands of a page until the returned function is called. */
export function offerCommands(commands: readonly Command[]): () => void {
  offered = commands;
  return () => {
    if (offered === commands) offered = [];
  };
}
