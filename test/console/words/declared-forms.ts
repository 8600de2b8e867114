import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ArrayExpression,
  CallExpression,
  Identifier,
  ImportDeclaration,
  Literal,
  Node,
  ObjectExpression,
  Program,
  Property,
  SpreadElement,
  VariableDeclarator,
} from 'acorn';
import { childNodes, parseModule } from '#src/console/document-calls.ts';

/** The form of an action, as its source declares it. */
export interface DeclaredForm {
  /** The mutation that it ends in. */
  mutation: string;
  fields: readonly string[];
  /** The fields whose help, or whose members, the console says itself. */
  explained: readonly string[];
}

interface Module {
  file: string;
  program: Program;
  constants: ReadonlyMap<string, Node>;
  /** The files of imported names. */
  imports: ReadonlyMap<string, string>;
}

/** A node in the module whose names it uses. */
interface Found {
  module: Module;
  node: Node;
}

const modules = new Map<string, Promise<Module>>();
const load = (file: string): Promise<Module> => {
  const known = modules.get(file) ?? read(file);
  modules.set(file, known);
  return known;
};

async function read(file: string): Promise<Module> {
  const program = await parseModule(file, readFileSync(file, 'utf8'));
  const nodes = allNodes(program);
  const constants = nodes
    .filter((node) => node.type === 'VariableDeclarator')
    .map((node) => node as VariableDeclarator)
    .flatMap(({ id, init }) => (id.type === 'Identifier' && init ? [[id.name, init] as const] : []));
  const imports = nodes
    .filter((node) => node.type === 'ImportDeclaration')
    .map((node) => node as ImportDeclaration)
    .flatMap(({ specifiers, source }) => specifiers.map(({ local }) => [local.name, pathFrom(file, source)] as const));
  return { file, program, constants: new Map(constants), imports: new Map(imports) };
}

const pathFrom = (file: string, { value }: Literal): string =>
  String(value).startsWith('.') ? join(file, '..', String(value)) : String(value).replace(/^#/, '');

const allNodes = (node: Node): Node[] => [node, ...childNodes(node).flatMap(allNodes)];

/** What a name stands for. */
async function resolve({ module, node }: Found): Promise<Found> {
  if (node.type !== 'Identifier') return { module, node };
  const { name } = node as Identifier;
  const own = module.constants.get(name);
  if (own) return resolve({ module, node: own });
  const from = module.imports.get(name);
  const other = from === undefined ? undefined : await load(from);
  const constant = other?.constants.get(name);
  if (!other || !constant) throw new Error(`${module.file}: ${name} is no constant. Write the fields as literals.`);
  return resolve({ module: other, node: constant });
}

/** The members of an object by name; of another node, none. */
const readMembers = (node: Node | undefined): ReadonlyMap<string, Node> =>
  new Map(
    node?.type === 'ObjectExpression'
      ? (node as ObjectExpression).properties
          .filter((property): property is Property => property.type === 'Property')
          .map(({ key, value }) => [(key as Identifier).name, value])
      : [],
  );

/** The texts of a list, with those of the lists that it spreads. */
async function readTexts(found: Found): Promise<string[]> {
  const { module, node } = await resolve(found);
  if (node.type === 'Literal') return [String((node as Literal).value)];
  if (node.type === 'SpreadElement') return readTexts({ module, node: (node as SpreadElement).argument });
  const items = (node as ArrayExpression).elements.filter((item) => item !== null);
  return (await Promise.all(items.map((item) => readTexts({ module, node: item })))).flat();
}

/** The names of the members with a help or with members of their own, in what a function returns and in what it calls. */
async function explainedIn({ module, node }: Found): Promise<string[]> {
  const named = [...readMembers(node)].filter(([, value]) =>
    ['help', 'members'].some((key) => readMembers(value).has(key)),
  );
  const { callee } = node as CallExpression;
  const called =
    node.type === 'CallExpression' && callee.type === 'Identifier'
      ? await explainedIn(await resolve({ module, node: callee }).catch(() => ({ module, node: callee })))
      : [];
  const inside = await Promise.all(childNodes(node).map((child) => explainedIn({ module, node: child })));
  return [...named.map(([name]) => name), ...called, ...inside.flat()];
}

async function readForm(module: Module, action: ReadonlyMap<string, Node>): Promise<DeclaredForm> {
  const within = (node: Node | undefined) => node && resolve({ module, node });
  const [document, form] = await Promise.all([within(action.get('document')), within(action.get('form'))]);
  const [name] = (document?.node as CallExpression | undefined)?.arguments ?? [];
  const options = readMembers(form?.node);
  const fields = options.get('fields');
  if (!form || !fields || name?.type !== 'Literal') {
    throw new Error(`${module.file}: a form needs its fields, and a document of mutation(), for this test to read it.`);
  }
  const asked = options.get('asked');
  return {
    mutation: String(name.value),
    fields: await readTexts({ module: form.module, node: fields }),
    explained: asked ? await explainedIn(await resolve({ module: form.module, node: asked })) : [],
  };
}

/** The forms of all actions. */
export async function declaredForms(): Promise<DeclaredForm[]> {
  const files = globSync('console/**/*.{ts,tsx}').filter((file) => /\bform\b/.test(readFileSync(file, 'utf8')));
  const found = await Promise.all(
    files.map(async (file) => {
      const module = await load(file);
      const actions = allNodes(module.program).map(readMembers);
      return Promise.all(
        actions
          .filter((members) => members.has('form') && members.has('document'))
          .map((each) => readForm(module, each)),
      );
    }),
  );
  return found.flat();
}
