import type { CommandIo } from '#bin/command.ts';
import type { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import {
  chooseOperations,
  isChoice,
  type OperationChoice,
} from '#src/automation/connectors/packages/choose-operations.rules.ts';

type Listed = Pick<Awaited<ReturnType<typeof readDescription>>, 'operations' | 'messages' | 'skipped'>;

/** Returns the operations and messages that a package with this choice would have; without a choice, all of them. */
export function narrow(description: Listed, choice: OperationChoice): Listed {
  if (!isChoice(choice) || choice.all === true) return description;
  const messages = (description.messages ?? []).map((message) => ({ ...message, path: '', tags: [] }));
  return {
    operations: chooseOperations(description.operations, choice),
    messages: chooseOperations(messages, choice),
    skipped: [],
  };
}

/** Prints the operations and messages of a description, and how to make a package of them. */
export function listOperations(
  { operations, messages = [], skipped }: Listed,
  { title, isJson }: { title: string; isJson: boolean },
  io: CommandIo,
): number {
  if (isJson) {
    const listed = operations.map(({ name, method, path, title: label, tags }) => ({
      name,
      method,
      path,
      title: label,
      tags,
    }));
    const named = messages.map(({ name, title: label }) => ({ name, title: label }));
    io.out(`${JSON.stringify({ title, operations: listed, messages: named, skipped })}\n`);
    return 0;
  }
  for (const { name, method, path, tags } of operations)
    io.out(`${method.toUpperCase().padEnd(6)} ${path}  ${name}${tags.length > 0 ? `  [${tags.join(', ')}]` : ''}\n`);
  for (const { name, title: label } of messages) io.out(`RECEIVE ${label}  ${name}\n`);
  for (const { operation, reason } of skipped) io.err(`Skipped ${operation}: ${reason}\n`);
  const found = `${count(operations.length, 'operation')}${messages.length > 0 ? ` and ${count(messages.length, 'message')}` : ''}`;
  io.out(
    `\n${title}: ${found}. Choose with --all, --tag, --path or --search, and make the package with --out <folder>.\n`,
  );
  return 0;
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
