#!/bin/sh
# Writes what compose.yaml reads into `settings` beside it: keys, passwords and certificates of an authority of its own. It changes nothing that
# is there already, since data that was sealed with a lost key cannot be read.
set -eu
cd "$(dirname "$0")"
umask 077
if [ -e settings ]; then
  echo "The folder settings is there already; it was left as it is." >&2
  exit 0
fi
mkdir settings.new
cd settings.new

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 825 -subj '/CN=Causeway on this machine' \
  -keyout ca.key -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=causeway.localhost' -keyout server.key -out server.csr 2>/dev/null
printf 'subjectAltName=DNS:causeway.localhost,DNS:identity.localhost\nextendedKeyUsage=serverAuth\n' >names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 397 -extfile names -out server.pem 2>/dev/null
rm -f names server.csr ca.srl
# The authority signs nothing else.
rm -f ca.key

password=$(openssl rand -hex 24)
printf '%s' "$password" >database-password
cat >causeway.env <<SETTINGS
DATABASE_URL=postgres://causeway:$password@database:5432/causeway
OIDC_ISSUER=https://identity.localhost/realms/causeway
PUBLIC_URL=https://causeway.localhost
CREDENTIALS_KEY=$(openssl rand -base64 32)
SECRETS_KEY=$(openssl rand -base64 32)
URL_SIGNING_SECRET=$(openssl rand -hex 32)
NODE_EXTRA_CA_CERTS=/etc/ssl/causeway-ca.pem
SETTINGS
# Read by the users of the containers.
chmod 644 ca.pem server.pem server.key database-password
cd ..
mv settings.new settings
echo "Written to deploy/compose/settings. Trust settings/ca.pem in the browser, then: docker compose --file deploy/compose/compose.yaml up --build"
