@NullMarked
package io.ocicat.datastore.etcd;

import org.jspecify.annotations.NullMarked;
