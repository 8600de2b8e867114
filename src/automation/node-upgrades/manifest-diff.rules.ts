import type { ConfigField, NodeManifest, Port } from '#src/automation/node-api/manifest.ts';
import { type Change, compareJson } from '#src/automation/workflows/revision-diff.rules.ts';
import { shortChange } from '#src/automation/workflows/revision-summary.rules.ts';

type Manifest = Pick<NodeManifest, 'config' | 'inputs' | 'outputs' | 'branches'>;

export interface MembersDiff<Member> {
  added: Member[];
  removed: Member[];
  /** What differs in those that both manifests have: `url.pattern`. */
  changed: Change[];
}

export interface CredentialsDiff {
  /** Key of the config field. */
  field: string;
  added: string[];
  removed: string[];
}

export interface ManifestDiff {
  fields: MembersDiff<ConfigField>;
  /** Keys of the fields that need a value now, and did not before. */
  required: string[];
  /** Fields that take other credential types than before. */
  credentials: CredentialsDiff[];
  inputs: MembersDiff<Port>;
  outputs: MembersDiff<Port>;
  branches: { added: string[]; removed: string[] };
}

/** Limits the list, because a field may have 1,000 options and all may differ. */
export const maxChanges = 100;

export function diffManifests(from: Manifest, to: Manifest): ManifestDiff {
  const needed = new Set(neededKeys(from));
  return {
    fields: diffMembers(from.config, to.config, ({ key }) => key),
    required: neededKeys(to).filter((key) => !needed.has(key)),
    credentials: diffCredentials(from.config, to.config),
    inputs: diffMembers(from.inputs, to.inputs, ({ name }) => name),
    outputs: diffMembers(from.outputs, to.outputs, ({ name }) => name),
    branches: diffNames(from.branches ?? ['default'], to.branches ?? ['default']),
  };
}

const neededKeys = ({ config = [] }: Manifest): string[] =>
  config.flatMap(({ key, required, default: byDefault }) => (required && byDefault === undefined ? [key] : []));

function diffMembers<Member>(
  from: readonly Member[] = [],
  to: readonly Member[] = [],
  name: (member: Member) => string,
): MembersDiff<Member> {
  const before = new Map(from.map((member) => [name(member), member]));
  const after = new Map(to.map((member) => [name(member), member]));
  const kept = [...after.keys()].filter((key) => before.has(key));
  const [old, now] = [before, after].map((members) => Object.fromEntries(kept.map((key) => [key, members.get(key)])));
  return {
    added: to.filter((member) => !before.has(name(member))),
    removed: from.filter((member) => !after.has(name(member))),
    changed: compareJson(old, now, maxChanges).map(shortChange),
  };
}

function diffNames(from: readonly string[], to: readonly string[]): { added: string[]; removed: string[] } {
  const [before, after] = [new Set(from), new Set(to)];
  return { added: to.filter((name) => !before.has(name)), removed: from.filter((name) => !after.has(name)) };
}

function diffCredentials(from: readonly ConfigField[] = [], to: readonly ConfigField[] = []): CredentialsDiff[] {
  const before = new Map(from.map((field) => [field.key, field.credential_types ?? []]));
  return to.flatMap(({ key, credential_types: types = [] }) => {
    const { added, removed } = diffNames(before.get(key) ?? types, types);
    return added.length + removed.length > 0 ? [{ field: key, added, removed }] : [];
  });
}
