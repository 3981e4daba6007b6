# Makes a machine for one page of the documentation in the namespaces it is started in, and types the page's session.
# Process 1 of its namespace: whatever runs inside ends with it.
set -eu
scripts=$1 source=$2 results=$3 java=$4 group=$5

# The lab's own corner: what overlays hold, the stand-ins, what the session leaves for the test.
mount -t tmpfs -o mode=755 lab /mnt
mkdir /mnt/results /mnt/bin
mount --bind "$results" /mnt/results
cp "$scripts"/bin/* /mnt/bin/
number=0
cover() { # <what is seen> <where>: what is written there is lost
  number=$((number + 1))
  mkdir -p "/mnt/over/$number/upper" "/mnt/over/$number/work"
  mount -t overlay lab -o "lowerdir=$1,upperdir=/mnt/over/$number/upper,workdir=/mnt/over/$number/work" "$2"
}
empty() {
  mkdir -p "$1"
  mount -t tmpfs -o "mode=${2:-755}" lab "$1"
}

mount -t proc proc /proc
cover /etc /etc
cover /opt /opt
empty /home
mkdir -p /home/you/ocicat /home/you/.jdks
# Where .mvn/find-jdk looks; the default java is an older one (bin/java).
ln -s "$java" /home/you/.jdks/25
cover "$source" /home/you/ocicat
mkdir -p /home/you/ocicat/dist/target
touch /home/you/ocicat/dist/target/built
empty /run
empty /var/lib
empty /var/log
empty /opt/cni
empty /dev/shm 1777
rm -rf /etc/cni /etc/calico /etc/ocicat /etc/containers/containers.conf* /etc/systemd/system
mkdir -p /etc/containers /etc/systemd/system /run/netns /run/systemd/system
empty /tmp 1777

hostname node-1
echo "127.0.0.1 localhost node-1" >/etc/hosts
# A way out, as machines have: somebody else on the same wire, who knows no way to any container.
ip link set lo up
: >/run/netns/outside
unshare --net=/run/netns/outside true
ip link add eth0 type veth peer name eth0 netns outside
ip address add 192.0.2.10/24 dev eth0
ip link set eth0 up
ip -n outside link set lo up
ip -n outside address add 192.0.2.20/24 dev eth0
ip -n outside link set eth0 up
ip route add default via 192.0.2.20

# Podman, as far as the machine decides it, with one image at hand.
mkdir -p /var/lib/containers
mkdir -p /mnt/image/bin /mnt/image/www /mnt/image/proc /mnt/image/sys /mnt/image/dev
cp /bin/busybox /mnt/image/bin/
for name in sh sleep httpd wget ping ip; do ln -s busybox "/mnt/image/bin/$name"; done
echo hello >/mnt/image/www/index.html
# A file of the user's, without which podman does not work here: no page may write over it.
cat >/etc/containers/containers.conf <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END

touch /mnt/results/ready
cd /home/you/ocicat
exec env -i HOME=/home/you USER=root LANG=C.UTF-8 LAB_RESULTS=/mnt/results LAB_GROUP="$group" \
  PATH="/mnt/bin:/home/you/ocicat/dist/ocicat/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
  bash /mnt/results/session
