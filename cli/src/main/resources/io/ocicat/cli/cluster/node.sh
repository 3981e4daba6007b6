# Makes a node in the namespaces it is started in, and holds them. Process 1 of the node.
set -eu
home=$1
name=$2
shared=$3
folder=/run/ocicat-cluster/nodes/$name

mkdir -p "$folder/run/netns" "$folder/run/cni/net.d" "$folder/run/flannel" "$folder/lib/cni" "$folder/lib/calico" "$folder/lib/ocicat" "$folder/log"
if [ "$shared" = yes ]; then
  # One datastore for all nodes; what else is in that folder is the node's own.
  for own in attachments pods; do
    mkdir -p -m 700 "/run/ocicat-cluster/datastore/$own" "$folder/$own"
  done
  mount --bind /run/ocicat-cluster/datastore "$folder/lib/ocicat"
  for own in attachments pods; do
    mount --bind "$folder/$own" "$folder/lib/ocicat/$own"
  done
fi
# The distribution stays where it is.
case $home/ in
  /var/lib/*) kept=$folder/lib/${home#/var/lib/} ;;
  /var/log/*) kept=$folder/log/${home#/var/log/} ;;
  *) kept= ;;
esac
if [ -n "$kept" ]; then
  mkdir -p "$kept"
  mount --rbind "$home" "$kept"
fi
hostname "$name" 2>/dev/null || true
echo "127.0.0.1 localhost $name" >"$folder/run/hosts"
[ ! -e /etc/hosts ] || mount --bind "$folder/run/hosts" /etc/hosts
mount --rbind "$folder/lib" /var/lib
mount --rbind "$folder/log" /var/log
mount --rbind "$folder/run" /run
echo 1 >/proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/ipv6/conf/all/forwarding ] || echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
: >/run/made
# The shell waits, and takes note of the end of everything that has lost its parent.
sleep infinity &
wait $!
