/** Leads to the first field that is wrong, else to the sentence that says what is: a long form may have scrolled both out of view. */
export function showFault(form: HTMLElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (field) field.focus();
  else
    (form.closest('.panel') ?? form).querySelector('.field-error, [role="alert"]')?.scrollIntoView({ block: 'center' });
}
