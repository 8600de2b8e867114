import { attribute, listChildren, type EdmElement } from './edmx.ts';

/** The types, functions and sets of a service, by their full names. */
export interface EdmModel {
  /** True for version 2 of the protocol, which writes values, keys and lists differently. */
  isV2: boolean;
  types: ReadonlyMap<string, EdmElement>;
  /** Actions and functions; several functions may share a name. */
  callables: ReadonlyMap<string, EdmElement[]>;
  /** Actions and functions that are called on a value, keyed by the type of the value. */
  bound: ReadonlyMap<EdmElement, BoundCallable[]>;
  containers: EdmElement[];
  namespaces: string[];
  /** Resolves a name that may use an alias to `Namespace.Name`. */
  fullName: (name: string) => string;
}

export interface BoundCallable {
  fullName: string;
  callable: EdmElement;
  /** True if it is called on a list of values. */
  isOnList: boolean;
}

const maxBases = 50;

const typeNames = ['EntityType', 'ComplexType', 'EnumType', 'TypeDefinition'];

export function buildModel(schemas: readonly EdmElement[], isV2: boolean): EdmModel {
  const aliases = new Map(
    schemas
      .filter((schema) => attribute(schema, 'Alias') !== '')
      .map((schema) => [attribute(schema, 'Alias'), attribute(schema, 'Namespace')]),
  );
  const named = (...names: string[]): [string, EdmElement][] =>
    schemas.flatMap((schema) =>
      listChildren(schema, ...names).map<[string, EdmElement]>((element) => [
        `${attribute(schema, 'Namespace')}.${attribute(element, 'Name')}`,
        element,
      ]),
    );
  const callables = new Map<string, EdmElement[]>();
  for (const [name, element] of named('Action', 'Function')) {
    const known = callables.get(name);
    if (known === undefined) callables.set(name, [element]);
    else known.push(element);
  }
  const model: Omit<EdmModel, 'bound'> = {
    isV2,
    types: new Map(named(...typeNames)),
    callables,
    containers: named('EntityContainer').map(([, container]) => container),
    namespaces: schemas.map((schema) => attribute(schema, 'Namespace')),
    fullName: (name) => {
      const dot = name.lastIndexOf('.');
      const alias = aliases.get(name.slice(0, dot));
      return alias === undefined ? name : alias + name.slice(dot);
    },
  };
  return { ...model, bound: findBound(model) };
}

function findBound(model: Omit<EdmModel, 'bound'>): Map<EdmElement, BoundCallable[]> {
  const bound = new Map<EdmElement, BoundCallable[]>();
  for (const [fullName, overloads] of model.callables) {
    for (const callable of overloads.filter(isBound)) {
      const [binding] = listChildren(callable, 'Parameter');
      const { name, isList } = readTypeName(binding === undefined ? '' : attribute(binding, 'Type'), model);
      const type = model.types.get(name);
      if (type === undefined) continue;
      const known = bound.get(type);
      const one = { fullName, callable, isOnList: isList };
      if (known === undefined) bound.set(type, [one]);
      else known.push(one);
    }
  }
  return bound;
}

export const isBound = (callable: EdmElement): boolean => attribute(callable, 'IsBound') === 'true';

/** Reads a written type. `Collection(Shop.Order)` gives the full name of the item, with `isList` true. */
export function readTypeName(written: string, model: Pick<EdmModel, 'fullName'>): { name: string; isList: boolean } {
  const [, item] = /^Collection\((.*)\)$/.exec(written) ?? [];
  return { name: model.fullName(item ?? written), isList: item !== undefined };
}

/** Lists the bases of a type, the outermost first and the type itself last. The search ends at a cycle, and after 50 types. */
export function withBases(name: string, model: EdmModel): EdmElement[] {
  const chain: EdmElement[] = [];
  for (let next = name; next !== '' && chain.length < maxBases;) {
    const type = model.types.get(next);
    if (type === undefined || chain.includes(type)) break;
    chain.unshift(type);
    next = model.fullName(attribute(type, 'BaseType'));
  }
  return chain;
}
