import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { nameKey, type QualifiedName, xsd } from './namespaces.ts';

/** A declaration with the defaults of the schema around it. */
export interface Declared {
  element: XmlElement;
  schema: SchemaDefaults;
}

export interface SchemaDefaults {
  targetNamespace: string;
  areElementsQualified: boolean;
  areAttributesQualified: boolean;
}

const kinds = ['element', 'complexType', 'simpleType', 'group', 'attribute', 'attributeGroup'] as const;
type Kind = (typeof kinds)[number];

/** The global declarations of all schemas in a file. */
export class XsdModel {
  readonly #declared = new Map<string, Declared>();
  /** Namespaces that are at least partly in another file. */
  readonly #elsewhere = new Set<string>();

  constructor(schemas: readonly XmlElement[]) {
    for (const schema of schemas) {
      const defaults: SchemaDefaults = {
        targetNamespace: xmlAttribute(schema, 'targetNamespace'),
        areElementsQualified: xmlAttribute(schema, 'elementFormDefault') === 'qualified',
        areAttributesQualified: xmlAttribute(schema, 'attributeFormDefault') === 'qualified',
      };
      for (const other of xmlChildren(schema, xsd, 'import', 'include', 'redefine')) {
        const isImport = other.name === 'import';
        if (xmlAttribute(other, 'schemaLocation') !== '' || !isImport)
          this.#elsewhere.add(isImport ? xmlAttribute(other, 'namespace') : defaults.targetNamespace);
      }
      for (const element of xmlChildren(schema, xsd, ...kinds)) {
        const name = { namespace: defaults.targetNamespace, name: xmlAttribute(element, 'name') };
        this.#declared.set(`${element.name} ${nameKey(name)}`, { element, schema: defaults });
      }
    }
  }

  find(kind: Kind, name: QualifiedName): Declared | undefined {
    return this.#declared.get(`${kind} ${nameKey(name)}`);
  }

  get(kind: Kind, name: QualifiedName): Declared {
    const found = this.find(kind, name);
    if (found) return found;
    throw this.missing(kind, name);
  }

  missing(kind: string, { namespace, name }: QualifiedName): Unsupported {
    const what = `It refers to the ${kind} "${name.slice(0, 100)}" of "${namespace.slice(0, 150)}"`;
    return new Unsupported(
      this.#elsewhere.has(namespace)
        ? `${what}, which is in another file, and nothing is fetched.`
        : `${what}, which the file does not contain.`,
    );
  }
}
