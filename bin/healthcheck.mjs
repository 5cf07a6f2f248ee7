/**
 * Exit status 0 if the server in this container is alive, else 1: for the HEALTHCHECK of the image. It reads the ports from the
 * environment, so a container whose ports are set on the command line needs a check of its own.
 */
const { STACKS_API_MODE, STACKS_BLOCKCHAIN_API_PORT = '3999', STACKS_INDEX_METRICS_PORT = '0' } = process.env;
// A writer has no API; its probes are beside its metrics.
const port = STACKS_API_MODE === 'writeonly' ? STACKS_INDEX_METRICS_PORT : STACKS_BLOCKCHAIN_API_PORT;
const alive = await fetch(`http://127.0.0.1:${port}/livez`).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(alive ? 0 : 1);
