import type { MutationDocument } from '#console/graph/mutate.ts';
import type { FormMember } from '#console/ui/form/field-props.ts';
import type { Lookup } from '#console/ui/lookup/lookup.ts';
import type { Notice } from '#console/ui/notices.ts';
import type { Option } from '#console/ui/option.ts';

/** The part of a form that its input type does not say. */
export interface FormOptions<T> {
  /** The members to ask for, in this order; left out: all that `input` does not fix. */
  fields?: readonly string[];
  /** The values to begin with. */
  initial?: (object: T) => Record<string, unknown>;
  /** Members whose values the user looks up: `{ workflowId: 'workflows' }` takes an object of a noun. Of a list, all are shown to be ticked. */
  lookups?: Readonly<Record<string, Lookup>>;
  /** Members that name a part of the object, which the user chooses: `{ positionId: (order) => ... }`. */
  choices?: Readonly<Record<string, (object: T) => readonly Option[]>>;
  /** How members are asked for where their type does not say it; `values` are what is entered so far. */
  asked?: (object: T, values: Readonly<Record<string, unknown>>) => Readonly<Record<string, Partial<FormMember>>>;
}

/** A mutation that a person may run on an object. */
export interface Action<T> {
  key: string;
  /** A verb, or what is created. */
  label: string;
  /** Its label is what it creates, such as "New order": the button of its form then says "Create". */
  creates?: true;
  /** Its form shows what the object has, and changes it: the button of the form then says "Save". */
  saves?: boolean;
  /** One mutation with the variable `input`, whose result selects `...Refusal`. */
  document: MutationDocument;
  /** From the object's `viewerCan`; false hides the action. */
  allowed?: (object: T) => boolean;
  /** The members of the input that follow from the object; left out: its id. */
  input?: (object: T) => Record<string, unknown>;
  /** Asks for the rest of the input. */
  form?: FormOptions<T>;
  /** What the object lacks for this action, with the key of the action that gives it; undefined when it lacks nothing. */
  needs?: (object: T) => { text: string; label: string; key: string } | undefined;
  /** Says what it will do, above the form or the button. */
  confirm?: (object: T) => string;
  isDanger?: boolean;
  /** Said once it is done; a function where the payload decides what. */
  done: string | ((payload: Record<string, unknown>) => string | Notice);
  /** A value of the payload that is shown once and never again, such as a new key. */
  secret?: (payload: Record<string, unknown>) => string | null | undefined;
  /** The address at another server that the browser leaves for once it is done. */
  leavesFor?: (payload: Record<string, unknown>) => string;
  /** The object to open once it is done. */
  opens?: (payload: Record<string, unknown>) => { noun: string; id: string } | undefined;
}

/** A mutation on many objects: with `dryRun` it counts them first, then becomes a `BulkAction` that is followed. */
export interface BulkAction<Row> {
  key: string;
  /** A verb with the number: "Retry 2,000 runs". */
  label: (count: string) => string;
  /** Shown on the button before anything is counted. */
  verb: string;
  document: MutationDocument;
  /** Which of the selected rows it fits. */
  allowed?: (row: Row) => boolean;
  isDanger?: boolean;
}
