import { automationChores } from '#src/automation/automation.chores.ts';
import type { Chore } from '#src/infra/chores.ts';
import { infraChores } from '#src/infra/infra.chores.ts';
import { journalChores } from '#src/journal/journal.chores.ts';

/** The repeating work of every domain. */
export const chores: readonly Chore[] = [...infraChores, ...journalChores, ...automationChores];
