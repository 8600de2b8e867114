/** The tag of the routes for webhooks in both directions. */
export const webhooksTag = {
  name: 'Webhooks',
  description: 'Where events are sent, what was sent, and where other systems push to.',
};
