import { automation } from './automation.ts';
import { commerce } from './commerce.ts';
import { collectDeclarations } from './declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';
import { identity } from './identity.ts';
import { imports } from './imports.ts';
import { journal } from './journal.ts';
import { operations } from './operations.ts';
import { themes } from './themes.ts';

/** Every domain, each after those whose services it uses. Add a new one here. */
export const domains: readonly DomainManifest[] = [
  identity,
  journal,
  automation,
  imports,
  commerce,
  themes,
  operations,
];

export const declarations = collectDeclarations(domains);
