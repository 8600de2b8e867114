/** Runs in the preview page: a block is rendered again when its form changes, and all blocks when a file changes. */
export const previewScript = `
  const readValue = (input) => {
    if (input.type === 'checkbox') return input.checked;
    if (input.type !== 'number' && input.type !== 'range') return input.value;
    return input.value === '' ? undefined : Number(input.value);
  };
  const isGiven = (input) => input.tagName !== 'SELECT' || input.value !== '';
  for (const section of document.querySelectorAll('[data-block]')) {
    const form = section.querySelector('form');
    const frame = section.querySelector('iframe');
    const render = () => {
      const inputs = [...form.elements].filter((input) => input.name !== '' && isGiven(input));
      const props = Object.fromEntries(inputs.map((input) => [input.name, readValue(input)]));
      const address = '/preview/blocks/' + section.dataset.block + '?props=' + encodeURIComponent(JSON.stringify(props));
      if (frame.getAttribute('src') === address) frame.contentWindow.location.reload();
      else frame.src = address;
    };
    form.addEventListener('input', render);
    form.addEventListener('submit', (event) => event.preventDefault());
    render();
  }
  new EventSource('/preview/changes').addEventListener('message', () => location.reload());
`;
