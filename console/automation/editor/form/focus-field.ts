/** A field of a node to focus; a new object focuses it again. */
export interface FieldFocus {
  /** The path of the node. */
  path: string;
  /** Its path in the node, such as `config.cases.0.equals`; null for the node as a whole. */
  field: string | null;
}

/** Not the switch between a value and an expression, which stands before them. */
const controls = 'input.input, textarea, select, [contenteditable="true"]';

/** Focuses the control of a field, or of the nearest part around it that the form shows. */
export function focusField(form: Element, field: string): void {
  const parts = field.replace(/^config\./, '').split('.');
  const shown = [...form.querySelectorAll<HTMLElement>('[data-field]')];
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('.');
    const element = shown.find(({ dataset }) => dataset['field'] === name);
    const control = element?.matches(controls)
      ? element
      : element && (element.querySelector<HTMLElement>(controls) ?? element.querySelector('button'));
    if (control) return control.focus();
  }
}
