# Makes a node in the namespaces it is started in; hold.sh follows.
set -eu
home=$1
say() { echo "$*" >&2; exit 1; }

case $home/ in /run/*) say "this folder is below /run, which the demo covers: move it elsewhere ($home)" ;; esac
mount -t tmpfs -o mode=755 ocicat-demo /run
mkdir -p /run/netns /run/ocicat-demo/net.d /run/ocicat-demo/page
case $home/ in
  /var/lib/* | /var/log/*)
    mkdir /run/ocicat-demo/home
    mount --rbind "$home" /run/ocicat-demo/home
    ;;
esac
mount -t tmpfs -o mode=755 ocicat-demo /var/lib
mount -t tmpfs -o mode=755 ocicat-demo /var/log
if [ -d /run/ocicat-demo/home ]; then
  mkdir -p "$home"
  mount --rbind /run/ocicat-demo/home "$home"
fi
hostname node-1 2>/dev/null || true
echo "127.0.0.1 localhost node-1 $(hostname)" >/run/ocicat-demo/hosts
[ ! -e /etc/hosts ] || mount --bind /run/ocicat-demo/hosts /etc/hosts

# Outside of the node, on the same wire.
: >/run/netns/outside
unshare --net=/run/netns/outside true
# With netlink code of ours: not every machine has ip(8).
refusal=$("$home/bin/ocicat" demo --wire 2>&1) || say "${refusal#ocicat: }"
# As on every node of Kubernetes.
echo 1 >/proc/sys/net/ipv4/ip_forward
