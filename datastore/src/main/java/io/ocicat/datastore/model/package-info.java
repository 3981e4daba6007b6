/** The schemas of the resources: Calico's form, validation, defaults and names, and typed views. */
@NullMarked
package io.ocicat.datastore.model;

import org.jspecify.annotations.NullMarked;
