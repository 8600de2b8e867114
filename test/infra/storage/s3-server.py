"""OpenStack Swift with its API of S3 as one process, storing objects in the directory given. Prints its port."""

import sys
import eventlet
from eventlet import wsgi

eventlet.monkey_patch()

from swift.common import utils
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import ConfigString, loadapp

directory = sys.argv[1]
utils.HASH_PATH_SUFFIX = b'suffix'
utils.mkdirs(directory + '/disks/one')
reload_storage_policies()

SETTINGS = {
    # Nobody listens there: what would be kept is looked up each time.
    'memcache': 'memcache_servers = 127.0.0.1:1',
    's3api': 'location = us-east-1',
    'tempauth': 'user_test_owner = one .admin\nuser_test_guest = two',
    'proxy': 'account_autocreate = true',
}
FILTERS = 'catch_errors gatekeeper memcache listing_formats bulk s3api tempauth copy dlo slo versioned_writes'.split()


def serve(socket, app, filters=()):
    sections = [f'[filter:{name}]\nuse = egg:swift#{name}\n{SETTINGS.get(name, "")}' for name in filters]
    config = '\n'.join([
        f'[DEFAULT]\nswift_dir = {directory}\ndevices = {directory}/disks\nmount_check = false\nrecon_cache_path = {directory}',
        f'[pipeline:main]\npipeline = {" ".join([*filters, app])}-server',
        f'[app:{app}-server]\nuse = egg:swift#{app}\n{SETTINGS.get(app, "")}',
        *sections,
    ])
    loaded = loadapp(ConfigString(config), global_conf={'log_name': app})
    eventlet.spawn(wsgi.server, socket, loaded, log_output=False, protocol=SwiftHttpProtocol)


for part in ('account', 'container', 'object'):
    listening = eventlet.listen(('127.0.0.1', 0))
    ring = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    ring.add_dev({
        'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': listening.getsockname()[1],
        'device': 'one', 'weight': 1,
    })
    ring.rebalance()
    ring.get_ring().save(f'{directory}/{part}.ring.gz')
    serve(listening, part)
front = eventlet.listen(('127.0.0.1', 0))
serve(front, 'proxy', FILTERS)
print(front.getsockname()[1], flush=True)
eventlet.sleep(3600)
