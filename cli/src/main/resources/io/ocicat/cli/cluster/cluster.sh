# Makes the machine that a cluster's nodes are on, in the namespaces it is started in: their underlay network, a host
# outside of it, and the folder that they share. hold.sh follows.
set -eu
home=$1
say() { echo "$*" >&2; exit 1; }

case $home/ in /run/*) say "this folder is below /run, which the cluster covers: move it elsewhere ($home)" ;; esac
mount -t tmpfs -o mode=755 ocicat-cluster /run
mkdir -p /run/netns /run/ocicat-cluster/nodes
mkdir -m 700 /run/ocicat-cluster/datastore
hostname underlay 2>/dev/null || true
: >/run/netns/outside
unshare --net=/run/netns/outside true
