/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_NAMES_H
#define SKR_SERVER_OBJECT_NAMES_H
/* What Kubernetes allows as names (apimachinery pkg/util/validation): NULL when the text is fine,
 * else kube-apiserver's explanation, a constant. */

const char *skr_name_dns_label(const char *text);     /* RFC 1123 label: namespaces, containers */
const char *skr_name_dns_subdomain(const char *text); /* RFC 1123 subdomain: nearly all objects */
const char *skr_name_qualified(const char *text);     /* label and annotation keys, gates */
const char *skr_name_label_value(const char *text);
const char *skr_name_config_key(const char *text); /* keys of ConfigMaps and Secrets */

#endif
